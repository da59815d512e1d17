/** The whole catalogue, for what is in the second script: imported by the first, its areas would be in that. */
// biome-ignore-all lint/performance/noBarrelFile: as in words.ts
// biome-ignore-all lint/performance/noReExportAll: as in words.ts

export * as audit from './audit.ts';
export * as connect from './connect.ts';
export * as exports from './exports.ts';
export * as fieldRules from './field-rules.ts';
export * as formSettings from './form-settings.ts';
export * as keys from './keys.ts';
export * as server from './server.ts';
export * as shortcuts from './shortcuts.ts';
export * as snippets from './snippets.ts';
export * as webhooks from './webhooks.ts';
export * from './words.ts';
