/** A process that only sends what is in an outbox, so that a test can kill it. Arguments: database, mail server. */

import { createGuardedPost } from '../../src/network/guarded-request.ts';
import { openDeliveryFixture, SHORT_TIMING } from './delivery-fixture.ts';

const [file = '', smtpUrl = ''] = process.argv.slice(2);
const post = createGuardedPost({ allowed: ['127.0.0.0/8'] });
const fixture = await openDeliveryFixture({ file, smtpUrl, post, timing: SHORT_TIMING });
await fixture.start();
process.stdout.write('sending\n');
