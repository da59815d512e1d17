/** The views beside the inbox and the list of forms, and their large dialogs: one file of script, which the page fetches behind its first view. */
// biome-ignore-all lint/performance/noBarrelFile: what makes them one file

export { Audit } from './audit.tsx';
export { ConnectPage } from './connect.tsx';
export { Deliveries } from './deliveries.tsx';
export { ExportDialog } from './export-dialog.tsx';
export { FormSettings } from './form-settings.tsx';
export { Keys } from './keys.tsx';
export { Settings } from './settings.tsx';
export { ShortcutHelp } from './shortcut-help.tsx';
