/** The errors that the log explains as server errors, and those that are limits at work. */

import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { AppError } from '../../src/errors.ts';
import { logServerError, toAppError } from '../../src/http/error-responses.ts';
import { createLog } from '../../src/log/log.ts';
import { openTestServer } from '../server.ts';

function logged(error: AppError): number {
	const lines: Uint8Array[] = [];
	const log = createLog({ level: 'debug', format: 'json', write: (bytes) => lines.push(bytes) });
	logServerError(log, error, 'r1');
	log.flush();
	return lines.length;
}

test.each([
	['what the caller did wrong', new AppError('RATE_LIMITED', 'x'), 0],
	['too much at once', new AppError('UNAVAILABLE', 'x', { retryAfterSeconds: 5, isOverload: true }), 1],
	['a disk that failed', new AppError('UNAVAILABLE', 'x', { cause: new Error('disk I/O error') }), 1],
	['an error of the server', toAppError(new Error('x')), 1],
	['a thrown undefined', toAppError(undefined), 1],
	['what the log tells of already', new AppError('INTERNAL', 'x'), 0],
])('%s', (...[, error, lines]) => {
	expect(logged(error)).toBe(lines);
});

test('bodies beyond the budget are rejected with 503, which is logged as a warning', async () => {
	const server = await openTestServer();
	await server.app.forms.create('live', { name: 'Contact', slug: 'contact' });
	const { hostname, port } = new URL(server.submitUrl);
	const body = Buffer.alloc(1024 * 1024 - 1, 'x');
	const head = `POST /f/contact HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n`;
	const sockets = [1, 2, 3, 4].map(() => connect(Number(port), hostname));
	const response = await Promise.race(
		sockets.map((socket) => {
			socket.write(head);
			socket.write(body);
			return new Promise<string>((resolve) => socket.on('data', (chunk) => resolve(String(chunk))));
		}),
	);
	expect(response).toStartWith('HTTP/1.1 503');
	expect(response).toMatch(/\r\nretry-after: 5\r\n/i);
	for (const socket of sockets) socket.destroy();
	await server.close();
	expect(server.logLines.length).toBeGreaterThan(0);
	for (const line of server.logLines) {
		expect(JSON.parse(line)).toMatchObject({ level: 'WARN', code: 'UNAVAILABLE' });
	}
});
