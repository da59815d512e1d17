/** Forms and scripts as public pages have them for other services: names, types and encoding of their fields, nothing else. */

import type { AliasName } from '../../../src/form-values/aliases.ts';
import { ACTION, type ServiceForm, TYPED } from '../service-forms.ts';

interface PageForm extends ServiceForm {
	service: AliasName;
	what: string;
}

const { text: typed, email, tel, url } = TYPED;

export const PAGE_FORMS: PageForm[] = [
	{
		service: 'formspree',
		what: 'with the address of the visitor in _replyto',
		html: `<form action="${ACTION}" method="POST">
			<input type="text" name="name">
			<input type="email" name="_replyto">
			<textarea name="message"></textarea>
			<input type="submit" value="Send">
		</form>`,
		data: { name: typed, _replyto: email, message: typed },
		replyTo: email,
	},
	{
		service: 'formsubmit',
		what: 'with its honeypot before the visible fields',
		html: `<form action="${ACTION}" method="POST">
			<input type="hidden" name="_captcha" value="false">
			<input type="hidden" name="_next" value="https://site.example/merci.html">
			<input type="text" name="_honey" style="display:none">
			<input name="prenom" type="text" required>
			<input name="nom" type="text" required>
			<input name="email" type="email" required>
			<select name="sujet" required><option value="Prix">Prix</option><option value="Autre">Autre</option></select>
			<textarea name="message" required></textarea>
			<button type="submit">Envoyer</button>
		</form>`,
		data: { prenom: typed, nom: typed, email, sujet: 'Prix', message: typed },
		next: 'https://site.example/merci.html',
		honeypot: '_honey',
	},
	{
		service: 'formsubmit',
		what: 'with spaces in its names, a file that may be left out, and the address of the page',
		html: `<form action="${ACTION}" method="POST" enctype="multipart/form-data">
			<input type="hidden" name="_subject" value="Application">
			<input type="hidden" name="_template" value="box">
			<input type="hidden" name="_url" value="https://site.example/jobs/">
			<input type="hidden" name="_autoresponse" value="Thank you">
			<input type="text" name="Full Name" required>
			<input type="email" name="E-mail" required>
			<input type="tel" name="Contact&nbsp;Number" required>
			<input type="file" name="attachment">
			<button type="submit">Apply</button>
		</form>`,
		data: { 'Full Name': typed, 'E-mail': email, 'Contact\u00a0Number': tel },
		subject: 'Application',
	},
	{
		service: 'formsubmit',
		what: 'with a path as its next page',
		html: `<form action="${ACTION}" method="POST">
			<input type="text" name="name" required>
			<input type="email" name="email" required>
			<textarea name="message" required></textarea>
			<input type="hidden" name="_next" value="/shop/contact">
			<input type="hidden" name="_captcha" value="false">
			<button type="submit">Versturen</button>
		</form>`,
		data: { name: typed, email, message: typed },
		next: 'https://site.example/shop/contact',
	},
	{
		service: 'basin',
		what: 'with two fields of one name',
		html: `<form action="${ACTION}" method="POST">
			<input type="text" name="firstname">
			<input type="email" name="email">
			<input type="hidden" name="_gotcha">
			<input type="text" name="firstname">
			<textarea name="subject"></textarea>
			<button>Submit</button>
		</form>`,
		data: { firstname: [typed, typed], email, subject: typed },
		honeypot: '_gotcha',
	},
	{
		service: 'basin',
		what: 'with another honeypot and a page for Basin JS',
		html: `<form action="${ACTION}" method="POST" data-basin-form>
			<input type="text" name="_honeypot" style="display:none">
			<input name="name" type="text">
			<input name="company" type="text">
			<input name="email" type="email">
			<input name="website" type="url">
			<select name="count"><option value="1-10">1-10</option><option value="11-50">11-50</option></select>
			<button type="submit">Submit</button>
		</form>`,
		data: { name: typed, company: typed, email, website: url, count: '1-10' },
		honeypot: '_honeypot',
	},
	{
		service: 'basin',
		what: 'with a relative next page, a campaign, and a subject that visitors type',
		html: `<form action="${ACTION}" method="POST" accept-charset="UTF-8">
			<input type="hidden" name="_redirect" value="./thank-you.html">
			<input type="hidden" name="utm_source">
			<input type="hidden" name="utm_medium" value="mail">
			<input type="text" name="name" required>
			<input type="email" name="email" required>
			<input type="text" name="_subject" required>
			<textarea name="message" required></textarea>
			<input type="submit" value="Send">
		</form>`,
		data: { utm_source: '', utm_medium: 'mail', name: typed, email, message: typed },
		next: 'https://site.example/thank-you.html',
		subject: typed,
	},
	{
		service: 'formcarry',
		what: 'with a button that has a name',
		html: `<form action="${ACTION}" method="post">
			<input type="text" name="sender" required>
			<input type="email" name="email" required>
			<textarea name="message" required></textarea>
			<input type="text" name="_gotcha" style="display: none;">
			<input type="submit" name="submit" value="Send">
		</form>`,
		data: { sender: typed, email, message: typed, submit: 'Send' },
		honeypot: '_gotcha',
	},
	{
		service: 'formcarry',
		what: 'with the address of the visitor in _replyto',
		html: `<form action="${ACTION}" method="POST" accept-charset="UTF-8">
			<input type="text" name="name">
			<input type="email" name="_replyto">
			<input type="text" name="message">
			<input type="submit" value="Send">
		</form>`,
		data: { name: typed, _replyto: email, message: typed },
		replyTo: email,
	},
	{
		service: 'formcarry',
		what: 'with files, Cyrillic options, and a box that is left empty',
		html: `<form action="${ACTION}" method="POST" enctype="multipart/form-data">
			<input type="text" name="firstName" required>
			<input type="tel" name="phone">
			<select name="service" required><option value="Сайт-визитка">Сайт</option></select>
			<input type="file" name="file" multiple>
			<input type="checkbox" name="policy">
			<button type="submit">Отправить</button>
		</form>`,
		data: { firstName: typed, phone: tel, service: 'Сайт-визитка' },
	},
	{
		service: 'getform',
		what: 'with its honeypot first, as multipart',
		html: `<form action="${ACTION}" method="POST" enctype="multipart/form-data">
			<input type="hidden" name="_gotcha" style="display:none !important">
			<input type="text" name="name" required>
			<input type="tel" name="phone" required>
			<input type="email" name="email">
			<textarea name="message"></textarea>
			<button type="submit">Book</button>
		</form>`,
		data: { name: typed, phone: tel, email, message: typed },
		honeypot: '_gotcha',
	},
	{
		service: 'getform',
		what: 'with a field for reCAPTCHA v3',
		html: `<form action="${ACTION}" method="POST">
			<input type="text" name="first_name" required>
			<input type="text" name="last_name" required>
			<input type="email" name="email" required>
			<input type="hidden" name="_gotcha" style="display:none !important">
			<input type="hidden" name="g-recaptcha-response" style="display:none !important">
			<textarea name="comment" required></textarea>
			<button type="submit">Send</button>
		</form>`,
		data: { first_name: typed, last_name: typed, email, comment: typed },
		honeypot: '_gotcha',
	},
	{
		service: 'getform',
		what: 'with a next page',
		html: `<form action="${ACTION}" method="POST">
			<input type="hidden" name="_redirect" value="https://site.example/sent">
			<input type="text" name="name">
			<input type="email" name="email">
			<textarea name="message"></textarea>
			<button type="submit">Send</button>
		</form>`,
		data: { name: typed, email, message: typed },
		next: 'https://site.example/sent',
	},
];

interface PageScript {
	service: AliasName;
	/** How it sends its fields. */
	body: 'json' | 'multipart' | 'urlencoded';
	/** True if it asks for JSON. */
	asks: boolean;
	/** When it tells the visitor that all is well, of `response` and its JSON `answer`, if it asked for that. */
	isWell: string;
}

/** How pages send with `fetch`, and what of the response they go by. */
export const PAGE_SCRIPTS: PageScript[] = [
	{ service: 'formsubmit', body: 'json', asks: true, isWell: `answer.success === true || answer.success === 'true'` },
	{ service: 'formsubmit', body: 'multipart', asks: false, isWell: 'response.ok' },
	{ service: 'web3forms', body: 'json', asks: true, isWell: 'response.status === 200 && answer.success' },
	{ service: 'netlify', body: 'urlencoded', asks: false, isWell: 'true' },
	{ service: 'basin', body: 'json', asks: true, isWell: 'response.ok && answer.success === true' },
	{ service: 'basin', body: 'json', asks: false, isWell: 'response.ok' },
	{ service: 'basin', body: 'multipart', asks: false, isWell: 'response.status === 200' },
	{ service: 'formcarry', body: 'json', asks: true, isWell: 'answer.code === 200' },
	{ service: 'formcarry', body: 'multipart', asks: true, isWell: `answer.status === 'success'` },
	{ service: 'getform', body: 'multipart', asks: true, isWell: 'response.ok' },
	{ service: 'getform', body: 'multipart', asks: false, isWell: 'response.status === 200' },
];
