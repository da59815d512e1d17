/** Runs s3rver with a bucket `forms` in the folder that is named, and prints its port. */

import S3rver from '@20minutes/s3rver';

const server = new S3rver({
	port: 0,
	address: '127.0.0.1',
	silent: true,
	directory: process.argv[2] ?? '',
	configureBuckets: [{ name: 'forms' }],
});
const { port } = await server.run();
console.log(port);
