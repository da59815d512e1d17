/** The public addresses of the listeners, without trailing slashes. */

export interface PublicUrls {
	base: string;
	submit: string;
}
