/** The page of the API documentation: shows the document of /api/openapi.json. */

import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';

const DARK = matchMedia('(prefers-color-scheme: dark)');

function followColorScheme(): void {
	document.documentElement.classList.toggle('dark-mode', DARK.matches);
}

async function show(): Promise<void> {
	const response = await fetch('/api/openapi.json');
	const spec = await response.json();
	SwaggerUI({
		dom_id: '#api',
		// "Try it out" sends requests to the origin of this page.
		spec: { ...spec, servers: [{ url: location.origin }] },
		deepLinking: true,
		displayRequestDuration: true,
		docExpansion: 'list',
		defaultModelsExpandDepth: 0,
		defaultModelExpandDepth: 4,
		tryItOutEnabled: true,
		validatorUrl: null,
	});
}

followColorScheme();
DARK.addEventListener('change', followColorScheme);
void show();
