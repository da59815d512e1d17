/** `/altcha.js`: ALTCHA's widget (MIT, https://altcha.org), for pages of forms that have this captcha. */

import 'altcha';
