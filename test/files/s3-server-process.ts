/** Runs s3rver with a bucket `forms` in the folder that is named, and prints its port. */

import S3rver from '@20minutes/s3rver';

interface Context {
	method: string;
	path: string;
	headers: Record<string, string>;
}

const server = new S3rver({
	port: 0,
	address: '127.0.0.1',
	silent: true,
	directory: process.argv[2] ?? '',
	configureBuckets: [{ name: 'forms' }],
});
// It checks the signature of a listing without the slash at the end of the path, which is sent and signed.
server.middleware.unshift((context: Context, next: () => Promise<void>) => {
	if (context.method === 'GET' && context.path === '/forms/') delete context.headers.authorization;
	return next();
});
const { port } = await server.run();
console.log(port);
