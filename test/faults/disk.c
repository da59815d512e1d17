/*
 * A disk under an unmodified program: loaded before it by LD_PRELOAD, this takes over the system calls that change what is in one folder.
 * The kernel hands each of them over as a signal (seccomp), so that it does not matter how the program makes them. A call is done in the
 * page cache, and recorded in a file: the bytes of writes, names, syncs. Nothing is ever synced in truth. From the recording, platter.ts makes
 * what a disk could hold if the power had been cut. Calls fail, end early or kill the process at random, as the header of the file says.
 *
 * Only calls with absolute paths are understood; platter.ts shows whether anything else changed the folder. For Linux on x86-64.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "recording.h"

#define MAX_PARTS 64

static const char *root;
static size_t root_length;
static char path_buffer[4096];
static uint64_t syncs;

static const int ARGUMENTS[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8};
#define ARGUMENT(context, n) ((context)->uc_mcontext.gregs[ARGUMENTS[n]])
#define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])

static int is_inside(const char *path)
{
	return path && strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

static void note_names(enum type type, uint64_t inode, const char *path, const char *to)
{
	size_t first = strlen(path + root_length) + 1;
	size_t second = to ? strlen(to + root_length) + 1 : 0;
	char *names = begin(type, inode, 0, 0, first + second);
	memcpy(names, path + root_length, first);
	if (to) memcpy(names + first, to + root_length, second);
	finish(first + second);
}

/* Returns 1 for a file or folder of the disk. To be called with the lock. */
static int find(int file, uint64_t *inode)
{
	char link[40] = "/proc/self/fd/";
	char digits[12];
	struct stat stat;
	int count = 0;
	size_t end = strlen(link);
	if (file < 0) return 0;
	do digits[count++] = '0' + file % 10;
	while ((file /= 10) > 0);
	while (count > 0) link[end++] = digits[--count];
	long length = call(SYS_readlinkat, AT_FDCWD, (long)link, (long)path_buffer, sizeof path_buffer - 1, 0);
	if (length < 0) return 0;
	path_buffer[length] = 0;
	if (!is_inside(path_buffer) || call(SYS_newfstatat, AT_FDCWD, (long)link, (long)&stat, 0, 0) != 0) return 0;
	*inode = stat.st_ino;
	return S_ISREG(stat.st_mode) || S_ISDIR(stat.st_mode);
}

static uint64_t inode_at(const char *path)
{
	struct stat stat;
	return call(SYS_newfstatat, AT_FDCWD, (long)path, (long)&stat, AT_SYMLINK_NOFOLLOW, 0) == 0 ? stat.st_ino : 0;
}

static void note_written(uint64_t inode, const struct iovec *parts, int count, uint64_t at, size_t written)
{
	char *bytes = begin(WRITE, inode, at, 0, written);
	size_t done = 0;
	for (int i = 0; i < count && done < written; i++) {
		size_t length = parts[i].iov_len < written - done ? parts[i].iov_len : written - done;
		memcpy(bytes + done, parts[i].iov_base, length);
		done += length;
	}
	finish(written);
}

/* At `at`, or where the file is if that is -1. Of a call that fails, a part may be done nevertheless. */
static long write_parts(int file, const struct iovec *parts, int count, int64_t at)
{
	struct iovec some[MAX_PARTS];
	size_t total = 0, rest;
	for (int i = 0; i < count; i++) total += parts[i].iov_len;
	uint64_t inode;
	if (count > MAX_PARTS) give_up(SYS_writev);
	int is_killed = is_last_call();
	enum fault fault = total > 0 ? draw(WRITE_EIO, WRITE_EINTR) : NO_FAULT;
	size_t wanted = fault == WRITE_EINTR ? 0 : fault != NO_FAULT || is_killed ? random_below(total + 1) : total;
	if (fault == WRITE_SHORT && wanted == 0) wanted = total;
	find(file, &inode);
	rest = wanted;
	int used = 0;
	for (; used < count && rest > 0; used++) {
		size_t length = parts[used].iov_len < rest ? parts[used].iov_len : rest;
		some[used] = (struct iovec){parts[used].iov_base, length};
		rest -= length;
	}
	long result = wanted == 0 ? 0
		: at >= 0         ? call(SYS_pwritev, file, (long)some, used, at, 0)
				  : call(SYS_writev, file, (long)some, used, 0, 0);
	if (result > 0) {
		if (at < 0) at = call(SYS_lseek, file, 0, SEEK_CUR, 0, 0) - result;
		note_written(inode, some, used, at, result);
	}
	if (is_killed) die();
	if (fault == WRITE_EIO) return -EIO;
	if (fault == WRITE_ENOSPC) return result > 0 ? result : -ENOSPC;
	if (fault == WRITE_EINTR) return -EINTR;
	return result;
}

static long sync_file(uint64_t inode)
{
	if (is_last_call()) die();
	int has_failed = draw(SYNC_EIO, SYNC_EIO) == SYNC_EIO;
	uint64_t sync = ++syncs;
	uint64_t lasts = disk->sync_us > 0 ? random_below(disk->sync_us) : 0;
	note(SYNC_BEGUN, inode, sync, 0);
	unlock();
	struct timespec time = {0, lasts * 1000};
	if (lasts > 0) call(SYS_nanosleep, (long)&time, 0, 0, 0, 0);
	lock();
	note(SYNC_ENDED, inode, sync, has_failed);
	return has_failed ? -EIO : 0;
}

/* Before a change of names. */
static int has_name_fault(void)
{
	if (is_last_call()) die();
	return draw(NAME_EIO, NAME_EIO) == NAME_EIO;
}

static long open_file(const char *path, long flags, long mode)
{
	uint64_t before = inode_at(path);
	if (before == 0 && has_name_fault()) return -EIO;
	long file = call(SYS_openat, AT_FDCWD, (long)path, flags, mode, 0);
	if (file < 0) return file;
	if (before == 0) note_names(CREATE, inode_at(path), path, 0);
	else if (flags & O_TRUNC) note(TRUNCATE, before, 0, 0);
	return file;
}

static long make_folder(const char *path, long mode)
{
	if (inode_at(path) == 0 && has_name_fault()) return -EIO;
	long result = call(SYS_mkdirat, AT_FDCWD, (long)path, mode, 0, 0);
	if (result == 0) note_names(MKDIR, inode_at(path), path, 0);
	return result;
}

static long rename_file(const char *from, const char *to)
{
	if (!is_inside(from) || !is_inside(to)) give_up(SYS_renameat2);
	if (has_name_fault()) return -EIO;
	long result = call(SYS_renameat2, AT_FDCWD, (long)from, AT_FDCWD, (long)to, 0);
	if (result == 0) note_names(RENAME, 0, from, to);
	return result;
}

static long remove_file(const char *path, long flags)
{
	if (flags != 0) give_up(SYS_unlinkat);
	if (inode_at(path) != 0 && has_name_fault()) return -EIO;
	long result = call(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0);
	if (result == 0) note_names(UNLINK, 0, path, 0);
	return result;
}

static long truncate_file(int file, uint64_t inode, long size)
{
	if (is_last_call()) die();
	if (draw(WRITE_EIO, WRITE_EIO) == WRITE_EIO) return -EIO;
	long result = call(SYS_ftruncate, file, size, 0, 0, 0);
	if (result == 0) note(TRUNCATE, inode, size, 0);
	return result;
}

static long handle_path(long number, const long *a)
{
	long result;
	/* Calls without a folder in front of the path are given one. */
	long with[5] = {AT_FDCWD, a[0], a[1], a[2], 0};
	switch (number) {
	case SYS_open: number = SYS_openat; a = with; break;
	case SYS_creat: number = SYS_openat; with[2] = O_CREAT | O_WRONLY | O_TRUNC; with[3] = a[1]; a = with; break;
	case SYS_mkdir: number = SYS_mkdirat; a = with; break;
	case SYS_unlink: number = SYS_unlinkat; with[2] = 0; a = with; break;
	case SYS_rmdir: number = SYS_unlinkat; with[2] = AT_REMOVEDIR; a = with; break;
	case SYS_rename: number = SYS_renameat2; with[1] = a[0]; with[2] = AT_FDCWD; with[3] = a[1]; a = with; break;
	case SYS_renameat: number = SYS_renameat2; memcpy(with, a, sizeof with); with[4] = 0; a = with; break;
	}
	const char *path = (const char *)a[1];
	int concerns = is_inside(path) || (number == SYS_renameat2 && is_inside((const char *)a[3]));
	if (!concerns) return call(number, a[0], a[1], a[2], a[3], a[4]);
	lock();
	switch (number) {
	case SYS_openat: result = open_file(path, a[2], a[3]); break;
	case SYS_mkdirat: result = make_folder(path, a[2]); break;
	case SYS_unlinkat: result = remove_file(path, a[2]); break;
	case SYS_renameat2: result = rename_file(path, (const char *)a[3]); break;
	default: give_up(number); result = -ENOSYS;
	}
	unlock();
	return result;
}

static long handle_file(long number, const long *a)
{
	uint64_t inode;
	struct iovec one = {(void *)a[1], a[2]};
	lock();
	if (!find(a[0], &inode)) {
		unlock();
		return call(number, a[0], a[1], a[2], a[3], a[4]);
	}
	long result;
	switch (number) {
	case SYS_write: result = write_parts(a[0], &one, 1, -1); break;
	case SYS_writev: result = write_parts(a[0], (struct iovec *)a[1], a[2], -1); break;
	case SYS_pwrite64: result = write_parts(a[0], &one, 1, a[3]); break;
	case SYS_pwritev: result = write_parts(a[0], (struct iovec *)a[1], a[2], a[3]); break;
	case SYS_ftruncate: result = truncate_file(a[0], inode, a[1]); break;
	case SYS_fsync:
	case SYS_fdatasync: result = sync_file(inode); break;
	case SYS_pread64: result = draw(READ_EIO, READ_EIO) == READ_EIO ? -EIO : call(number, a[0], a[1], a[2], a[3], 0); break;
	default: give_up(number); result = -ENOSYS;
	}
	unlock();
	return result;
}

static const int OF_FILES[] = {SYS_write, SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_ftruncate, SYS_fsync, SYS_fdatasync, SYS_pread64,
	SYS_fallocate, SYS_sync_file_range, SYS_sendfile};
static const int OF_PATHS[] = {
	SYS_creat, SYS_mkdir, SYS_unlink, SYS_rmdir, SYS_rename,
	SYS_renameat,
	SYS_mkdirat, SYS_unlinkat, SYS_renameat2};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void on_call(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	ucontext_t *state = context;
	long number = info->si_syscall;
	long a[5];
	int is_of_file = 0;
	for (int i = 0; i < 5; i++) a[i] = ARGUMENT(state, i);
	for (size_t i = 0; i < COUNT(OF_FILES); i++) is_of_file |= OF_FILES[i] == number;
	RESULT(state) = is_of_file ? handle_file(number, a) : handle_path(number, a);
}

#define LOAD(field) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, what)

/* Files that are only opened for reading are none of our business. */
static int filter_open(struct sock_filter *filter, int number, struct sock_filter load_flags)
{
	filter[0] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
	filter[1] = load_flags;
	filter[2] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TRUNC, 0, 1);
	filter[3] = RETURN(SECCOMP_RET_TRAP);
	filter[4] = RETURN(SECCOMP_RET_ALLOW);
	return 5;
}

/* The program's own handler does not replace ours: it is told that it did. */
static int filter_handlers(struct sock_filter *filter)
{
	filter[0] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 4);
	filter[1] = LOAD(args[0]);
	filter[2] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGSYS, 0, 1);
	filter[3] = RETURN(SECCOMP_RET_ERRNO);
	filter[4] = RETURN(SECCOMP_RET_ALLOW);
	return 5;
}

static int filter_number(struct sock_filter *filter, int number)
{
	filter[0] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
	filter[1] = RETURN(SECCOMP_RET_TRAP);
	return 2;
}

static void take_over(void)
{
	struct sock_filter filter[128];
	int n = 0;
	filter[n++] = LOAD(args[5]);
	filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OURS, 0, 1);
	filter[n++] = RETURN(SECCOMP_RET_ALLOW);
	filter[n++] = LOAD(nr);
	for (size_t i = 0; i < COUNT(OF_FILES); i++) n += filter_number(filter + n, OF_FILES[i]);
	for (size_t i = 0; i < COUNT(OF_PATHS); i++) n += filter_number(filter + n, OF_PATHS[i]);
	n += filter_open(filter + n, SYS_open, LOAD(args[1]));
	n += filter_open(filter + n, SYS_openat, LOAD(args[2]));
	n += filter_handlers(filter + n);
	filter[n++] = RETURN(SECCOMP_RET_ALLOW);
	struct sock_fprog program = {n, filter};
	struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
	sigfillset(&action.sa_mask);
	sigaction(SIGSYS, &action, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) abort();
}

__attribute__((constructor)) static void start(void)
{
	const char *recording = getenv("FAULT_DISK_RECORDING");
	root = getenv("FAULT_DISK_ROOT");
	if (!recording || !root) return;
	root_length = strlen(root);
	struct stat stat;
	int file = open(recording, O_RDWR | O_CLOEXEC);
	if (file < 0 || fstat(file, &stat) != 0) abort();
	disk = mmap(0, stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (disk == MAP_FAILED) abort();
	close(file);
	disk->tail = RECORDS_FROM;
	disk->capacity = stat.st_size;
	take_over();
}
