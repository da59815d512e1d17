/** The part of swagger-ui that the page uses; the package brings no types. */

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
	const SwaggerUI: (options: Record<string, unknown>) => void;
	export default SwaggerUI;
}
