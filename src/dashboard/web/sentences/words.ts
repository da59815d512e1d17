/**
 * The catalogue of the dashboard: every sentence that it shows, by the area that shows it. A translation replaces the files beside this one.
 * Here are the areas of the first script; `more-words.ts` has all.
 */
// biome-ignore-all lint/performance/noBarrelFile: the bundler takes each sentence by itself, whatever it is imported through
// biome-ignore-all lint/performance/noReExportAll: as above

export * as controls from './controls.ts';
export * as deliveries from './deliveries.ts';
export * as forms from './forms.ts';
export * as frame from './frame.ts';
export * as inbox from './inbox.ts';
export * as submission from './submission.ts';
export * as times from './times.ts';
