import { defineConfig } from 'drizzle-kit';

export default defineConfig({
	dialect: 'sqlite',
	schema: [
		'./src/storage/tables.ts',
		'./src/storage/spam-tables.ts',
		'./src/storage/visitor-tables.ts',
		'./src/storage/session-tables.ts',
		'./src/storage/audit-table.ts',
		'./src/storage/unique-table.ts',
		'./src/storage/sqlite/tables.ts',
	],
	out: './drizzle',
});
