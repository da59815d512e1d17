/** The catalogue of the dashboard: every sentence that it shows, by the area that shows it. A translation replaces the files beside this one. */
// biome-ignore-all lint/performance/noBarrelFile: the bundler takes each sentence by itself, whatever it is imported through
// biome-ignore-all lint/performance/noReExportAll: as above

export * as audit from './audit.ts';
export * as connect from './connect.ts';
export * as controls from './controls.ts';
export * as deliveries from './deliveries.ts';
export * as exports from './exports.ts';
export * as fieldRules from './field-rules.ts';
export * as formSettings from './form-settings.ts';
export * as forms from './forms.ts';
export * as frame from './frame.ts';
export * as inbox from './inbox.ts';
export * as keys from './keys.ts';
export * as server from './server.ts';
export * as shortcuts from './shortcuts.ts';
export * as snippets from './snippets.ts';
export * as submission from './submission.ts';
export * as times from './times.ts';
export * as webhooks from './webhooks.ts';
