/** s3rver, which comes without types. */

declare module '@20minutes/s3rver' {
	export default class S3rver {
		constructor(options: {
			port: number;
			address: string;
			silent: boolean;
			directory: string;
			configureBuckets: { name: string }[];
		});
		/** The middleware of Koa. */
		middleware: unknown[];
		run(): Promise<{ port: number }>;
	}
}
