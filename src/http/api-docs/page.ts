/** The page of the API documentation: shows the document that this server answers at /api/openapi.json. */

import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';

SwaggerUI({ url: '/api/openapi.json', dom_id: '#api', deepLinking: true, defaultModelsExpandDepth: 0 });
