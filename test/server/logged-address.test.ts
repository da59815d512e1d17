/** How much of a client's address stands in the log. */

import { expect, test } from 'bun:test';
import { openTestServer } from '../server.ts';

test.each([
	['full', '203.0.113.77', '203.0.113.77'],
	['network', '203.0.113.77', '203.0.113.0/24'],
	['network', '2001:db8:1:2:3::4', '2001:db8:1::/48'],
	['none', '203.0.113.77', undefined],
])('FORMSRV_LOG_ADDRESS=%s logs %s as %s', async (setting, address, logged) => {
	const server = await openTestServer({ settings: { FORMSRV_LOG_ADDRESS: setting, FORMSRV_LOG_LEVEL: 'info' } });
	try {
		const headers = { 'X-Forwarded-For': address };
		await server.submit('no-such-form', { text: 'x' }, headers);
		await server.call('GET /api/forms', { headers });
		server.app.log.flush();
		const requests = server.logLines.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request');
		expect(requests.map((line) => line.address)).toEqual([logged, logged]);
		if (setting !== 'full') expect(server.logLines.join('\n')).not.toContain(address);
	} finally {
		await server.close();
	}
});
