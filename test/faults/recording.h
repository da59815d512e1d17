/* The recording of disk.c, a file that disk.ts reads: a header, then one record after the other. */

/* In the sixth argument, which none of the calls has: it is made by this library and is let through. */
#define OURS 0x666d7376u
#define RECORDS_FROM 4096

enum fault { NO_FAULT = -1, WRITE_EIO, WRITE_ENOSPC, WRITE_SHORT, WRITE_EINTR, SYNC_EIO, NAME_EIO, READ_EIO, FAULTS };
enum type { WRITE = 1, TRUNCATE, SYNC_BEGUN, SYNC_ENDED, CREATE, MKDIR, RENAME, UNLINK };

/* The beginning of the recording, shared with disk.ts. */
struct header {
	uint64_t tail; /* where the next record goes */
	uint64_t capacity;
	uint64_t random; /* state of the random numbers */
	int64_t kill_in; /* so many more calls until the process is killed inside one; 0: never */
	uint64_t sync_us; /* longest time of a sync */
	uint64_t unsupported; /* 1: the recording is full; else the number of a call that is not understood */
	uint64_t rates[FAULTS]; /* of a million calls */
	uint64_t counts[FAULTS];
};

struct record {
	uint32_t type;
	uint32_t length; /* of what follows, which is padded to 8 bytes */
	uint64_t inode;
	uint64_t number; /* offset, size, or number of a sync */
	uint64_t failed;
};

static struct header *disk;
static int is_locked;

static long call(long number, long a, long b, long c, long d, long e)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = OURS;
	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return result;
}

static void lock(void)
{
	while (__atomic_exchange_n(&is_locked, 1, __ATOMIC_ACQUIRE)) call(SYS_sched_yield, 0, 0, 0, 0, 0);
}

static void unlock(void)
{
	__atomic_store_n(&is_locked, 0, __ATOMIC_RELEASE);
}

static void die(void)
{
	call(SYS_kill, call(SYS_getpid, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0);
	for (;;) call(SYS_sched_yield, 0, 0, 0, 0, 0);
}

static void give_up(uint64_t reason)
{
	disk->unsupported = reason;
	die();
}

static uint64_t random_below(uint64_t bound)
{
	uint64_t mixed = (disk->random += 0x9e3779b97f4a7c15u);
	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
	return (mixed ^ (mixed >> 31)) % bound;
}

/* One draw for the faults from `first` to `last`. */
static enum fault draw(enum fault first, enum fault last)
{
	uint64_t drawn = random_below(1000000);
	for (int fault = first; fault <= (int)last; fault++) {
		if (drawn < disk->rates[fault]) {
			disk->counts[fault]++;
			return fault;
		}
		drawn -= disk->rates[fault];
	}
	return NO_FAULT;
}

static int is_last_call(void)
{
	return disk->kill_in > 0 && --disk->kill_in == 0;
}

/* Writes a record and returns the place of the `length` bytes behind it; `finish` makes it part of the recording. */
static char *begin(enum type type, uint64_t inode, uint64_t number, uint64_t failed, size_t length)
{
	if (disk->tail + sizeof(struct record) + length + 8 > disk->capacity) give_up(1);
	struct record *record = (struct record *)((char *)disk + disk->tail);
	*record = (struct record){type, length, inode, number, failed};
	return (char *)(record + 1);
}

static void finish(size_t length)
{
	__atomic_store_n(&disk->tail, disk->tail + sizeof(struct record) + ((length + 7) & ~(size_t)7), __ATOMIC_RELEASE);
}

static void note(enum type type, uint64_t inode, uint64_t number, uint64_t failed)
{
	begin(type, inode, number, failed, 0);
	finish(0);
}
