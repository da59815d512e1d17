/** Starts the dashboard in the page. */

import { render } from 'preact';
import { App } from './app.tsx';
import { keepFocus } from './keep-focus.ts';
import { followLocation } from './location.ts';
import { listenForShortcuts, restoreShortcuts } from './shortcuts.ts';
import { startClock } from './state/clock.ts';
import { watchSession } from './state/session.ts';
import { restoreTheme } from './state/theme.ts';
import { settleToasts } from './state/toasts.ts';
import { watchViewport } from './state/viewport.ts';

restoreTheme();
watchViewport();
restoreShortcuts();
watchSession();
startClock();
followLocation();
listenForShortcuts();
keepFocus();
addEventListener('pagehide', () => void settleToasts());

const root = document.querySelector('#root');
if (root) render(<App />, root);
