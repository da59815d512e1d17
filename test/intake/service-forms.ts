/** Forms as the documentation of other services shows them, filled in by what a visitor types; only the address is to be replaced. */

import type { AliasName } from '../../src/form-values/aliases.ts';

export interface ServiceForm {
	html: string;
	/** The stored data once every visible field is filled in with the value that `TYPED` has for its type. */
	data: Record<string, unknown>;
	/** Where the browser is sent, if the form says so. */
	next?: string;
	subject?: string;
	replyTo?: string;
	/** The field that only robots fill in. */
	honeypot?: string;
}

/** In place of the address. */
export const ACTION = 'https://service.example/form';

const typed = 'typed';
const email = 'ann@example.com';
export const TYPED: Record<string, string> = { text: typed, email, tel: '+1 555 0100', url: 'https://ann.test/' };

/** Each is one that its service documents. */
export const SERVICE_FORMS: Record<AliasName, ServiceForm> = {
	formspree: {
		html: `<form action="${ACTION}" method="POST">
			<label>Your email: <input type="email" name="email"></label>
			<label>Your message: <textarea name="message"></textarea></label>
			<input type="hidden" name="_subject" value="New submission!">
			<input type="hidden" name="_next" value="https://site.example/thanks.html">
			<input type="hidden" name="_cc" value="second@site.example">
			<input type="hidden" name="_language" value="de">
			<input type="text" name="_gotcha" style="display:none">
			<button type="submit">Send</button>
		</form>`,
		data: { email, message: typed },
		next: 'https://site.example/thanks.html',
		subject: 'New submission!',
		honeypot: '_gotcha',
	},
	formsubmit: {
		html: `<form action="${ACTION}" method="POST">
			<input type="text" name="name" required>
			<input type="email" name="email" required>
			<input type="hidden" name="_subject" value="New submission!">
			<input type="hidden" name="_next" value="https://yourdomain.example/thanks.html">
			<input type="hidden" name="_cc" value="another@email.example,yetanother@email.example">
			<input type="hidden" name="_blacklist" value="spammy pattern, banned term, phrase">
			<input type="hidden" name="_captcha" value="false">
			<input type="hidden" name="_autoresponse" value="your custom message">
			<input type="hidden" name="_template" value="table">
			<input type="hidden" name="_webhook" value="https://yourdomain.example/your-webhook">
			<input type="text" name="_honey" style="display:none">
			<button type="submit">Send</button>
		</form>`,
		data: { name: typed, email },
		next: 'https://yourdomain.example/thanks.html',
		subject: 'New submission!',
		honeypot: '_honey',
	},
	web3forms: {
		html: `<form action="${ACTION}" method="POST">
			<input type="hidden" name="access_key" value="YOUR_ACCESS_KEY_HERE">
			<input type="hidden" name="subject" value="New Submission from Web3Forms">
			<input type="hidden" name="from_name" value="My Website">
			<input type="text" name="name" required>
			<input type="email" name="email" required>
			<textarea name="message" required></textarea>
			<input type="checkbox" name="botcheck" class="hidden" style="display: none;">
			<input type="hidden" name="redirect" value="https://web3forms.example/success">
			<button type="submit">Submit Form</button>
		</form>`,
		data: { subject: 'New Submission from Web3Forms', name: typed, email, message: typed },
		next: 'https://web3forms.example/success',
		subject: 'New Submission from Web3Forms',
		honeypot: 'botcheck',
	},
	netlify: {
		html: `<form name="contact" action="${ACTION}" method="POST" netlify-honeypot="bot-field" data-netlify="true">
			<input type="hidden" name="form-name" value="contact">
			<input type="hidden" name="subject" data-remove-prefix value="Sales inquiry from mysitename.netlify.app">
			<p style="display:none"><label>Don’t fill this out if you’re human: <input name="bot-field"></label></p>
			<p><label>Email: <input type="text" name="email"></label></p>
			<p><label>Message: <textarea name="message"></textarea></label></p>
			<p><button type="submit">Send</button></p>
		</form>`,
		data: { subject: 'Sales inquiry from mysitename.netlify.app', email: typed, message: typed },
		subject: 'Sales inquiry from mysitename.netlify.app',
		honeypot: 'bot-field',
	},
	basin: {
		html: `<form accept-charset="UTF-8" action="${ACTION}" enctype="multipart/form-data" method="POST">
			<input type="text" name="name" placeholder="Your Name" required>
			<input type="email" id="email" name="email" placeholder="Your Email" required>
			<textarea name="message" placeholder="Your Message" required></textarea>
			<input type="hidden" name="_gotcha">
			<button type="submit">Submit</button>
		</form>`,
		data: { name: typed, email, message: typed },
		honeypot: '_gotcha',
	},
	formcarry: {
		html: `<form action="${ACTION}" method="POST" accept-charset="UTF-8">
			<label for="name">Name</label><input id="name" type="text" name="name">
			<label for="surname">Surname</label><input id="surname" type="text" name="surname">
			<label for="email">Email</label><input id="email" type="email" name="email">
			<label for="message">Message</label><textarea id="message" name="message"></textarea>
			<input type="hidden" name="_gotcha">
			<input type="hidden" name="_next" value="https://site.example/thanks">
			<button type="submit">Send</button>
		</form>`,
		data: { name: typed, surname: typed, email, message: typed },
		next: 'https://site.example/thanks',
		honeypot: '_gotcha',
	},
	getform: {
		html: `<form action="${ACTION}" method="POST">
			<input type="text" name="name">
			<input type="email" name="email">
			<input type="text" name="message">
			<input type="hidden" name="_gotcha" style="display:none !important">
			<input type="checkbox" name="subscribe" value="yes" checked>
			<input type="hidden" name="subscribe" value="no">
			<input type="radio" name="gender" value="male" checked>
			<input type="radio" name="gender" value="female">
			<input type="radio" name="gender" value="other">
			<select name="work-experience">
				<option value="one-year">0-1 years</option>
				<option value="one-five-years">1-5 years</option>
			</select>
			<button type="submit">Send</button>
		</form>`,
		data: {
			...{ name: typed, email, message: typed },
			...{ subscribe: ['yes', 'no'], gender: 'male', 'work-experience': 'one-year' },
		},
		honeypot: '_gotcha',
	},
};
