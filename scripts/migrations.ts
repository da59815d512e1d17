/** Writes the migrations of both engines for a change of the tables in `src/storage/`; takes the options of `drizzle-kit generate`. */

for (const config of ['drizzle.config.ts', 'drizzle.postgres.config.ts']) {
	const command = ['drizzle-kit', 'generate', '--config', config, ...process.argv.slice(2)];
	const { exitCode } = Bun.spawnSync(command, { stdout: 'inherit', stderr: 'inherit', stdin: 'inherit' });
	if (exitCode !== 0) process.exit(exitCode);
}
