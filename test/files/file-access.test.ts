/** Access to the bytes of a file. */

import { expect, test } from 'bun:test';
import { checkFileAccess } from '../../src/files/file-access.ts';

const file = { name: 'a "b".pdf', key: 'ab'.repeat(16), scan: null };
const ANY = { permissions: ['read'] } as const;
const ADMIN = { permissions: ['read', 'admin'] } as const;

test.each([null, 'unchecked', 'clean'] as const)('a file whose scan is %s is given to any reader', (scan) => {
	expect(() => checkFileAccess({ ...file, scan }, ANY)).not.toThrow();
});

test('an infected file takes the permission admin and a confirmation', () => {
	const infected = { ...file, scan: 'infected' } as const;
	const forbidden = (message: string) => expect.objectContaining({ code: 'FORBIDDEN', message });
	const attempt = (caller: Parameters<typeof checkFileAccess>[1]) => {
		try {
			return checkFileAccess(infected, caller);
		} catch (error) {
			return error;
		}
	};
	const found = 'The virus scanner found something in the file "a \\"b\\".pdf"';
	const onlyAdmin = forbidden(`${found}; only a key with the permission admin can download it.`);
	expect(attempt(ANY)).toEqual(onlyAdmin);
	expect(attempt({ ...ANY, infected: 'download' })).toEqual(onlyAdmin);
	const confirm = forbidden(
		`${found}; to have it all the same, add infected=download, or --infected on the command line.`,
	);
	expect(attempt(ADMIN)).toEqual(confirm);
	expect(attempt({ ...ADMIN, infected: 'true' })).toEqual(confirm);
	expect(attempt({ ...ADMIN, infected: 'download' })).toBeUndefined();
});

test('an infected file is not given to everyone with a link', () => {
	const caller = { ...ADMIN, infected: 'download', isLink: true } as const;
	expect(() => checkFileAccess({ ...file, scan: 'infected' }, caller)).toThrow('no link leads to it');
	expect(() => checkFileAccess({ ...file, scan: 'unchecked' }, caller)).not.toThrow();
});

test('of a file that came with spam there are no bytes', () => {
	expect(() => checkFileAccess({ ...file, key: null }, ADMIN)).toThrow(
		expect.objectContaining({
			code: 'NOT_FOUND',
			message: expect.stringContaining('only its name and size were kept'),
		}),
	);
});
