/** Unsolicited offers as websites get them, written for these tests; no phrase was chosen or weighed by what is found in them. */

export const OFFERS: Record<string, readonly string[]> = {
	English: [
		'Hi, I came across your website and noticed that it does not show up on the first page of Google for most of your keywords. We offer SEO services at an affordable price. Can I send you a free audit?',
		'Hello, my name is Laura and I work with several blogs. I would like to publish a guest post on your site with one dofollow link. What do you charge for sponsored content?',
		'Dear owner, we are a web design company with ten years of experience. We could redesign your website so that it looks modern on phones. Let me know if you are interested and I will share our portfolio.',
		'Hey there, quick question: are you taking on new clients at the moment? We help businesses like yours generate leads without paying for ads. Would you be open to a quick call this week?',
		'Good day, we are a mobile app development firm from Pune. Our developers build Android and iOS apps for startups at a reasonable price. Please reply with your phone number and a good time to talk.',
		'Hi team, we provide an email list of decision makers in your industry, verified every quarter. Let me know your target audience and I will get back with counts and pricing.',
		'Hello, I was reviewing your website and found several errors that hurt your Google ranking. I can send you screenshots and a proposal with the cost.',
		'Hi, would you be interested in a 60 second explainer video for your homepage? Our team of experts writes the script and does the voice over. Samples are on our site.',
		'I can place your link on a site with high domain authority. Link insertions start at 50 dollars and stay forever. Shall I send the list?',
		'We are a digital marketing agency that offers social media management for local shops. More customers for your store, or you do not pay. Interested?',
	],
	German: [
		'Guten Tag, bei einer Recherche bin ich auf Ihre Website gestoßen. Leider ist sie bei Google kaum zu finden. Wir bringen Sie auf Seite 1 bei Google, haben Sie Interesse an einer kostenlosen Analyse Ihrer Website?',
		'Sehr geehrte Damen und Herren, wir sind eine Webdesign Agentur aus Köln und würden gerne Ihre Website überarbeiten. Darf ich Ihnen ein unverbindliches Angebot zukommen lassen?',
		'Hallo, wir möchten einen Gastbeitrag mit Backlink auf Ihrer Seite veröffentlichen. Was kostet ein Sponsored Post bei Ihnen?',
		'Hallo, wir helfen Unternehmen, mehr Kunden zu gewinnen. Mit unserem System erhalten Sie jede Woche qualifizierte Anfragen. Passt Ihnen ein kurzes Telefonat am Donnerstag?',
	],
	French: [
		'Bonjour, en visitant votre site, j’ai remarqué qu’il n’apparaît pas sur la première page de Google. Notre agence SEO propose un audit gratuit. Seriez-vous intéressé ?',
		'Bonjour, nous sommes spécialisés dans la création de sites et la refonte de site. Souhaitez-vous recevoir un devis gratuit ?',
		'Bonjour, acceptez-vous un article sponsorisé avec un lien dofollow sur votre blog ? Merci de m’indiquer vos tarifs.',
	],
	Spanish: [
		'Hola, he visitado su sitio web y creo que podemos mejorar su posicionamiento en Google. Somos una agencia SEO con diez años de experiencia. ¿Le interesaría una auditoría gratuita?',
		'Buenos días, ofrecemos diseño de páginas web y desarrollo de aplicaciones a buen precio. Quedamos a su disposición sin compromiso.',
		'Hola, ¿aceptan un artículo patrocinado con enlaces dofollow en su blog? ¿Cuál es el precio?',
	],
};
