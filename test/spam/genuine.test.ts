/** Messages that people send to shops, offices and clubs: the rules leave them far from the threshold, whatever they name. */

import { describe, expect, test } from 'bun:test';
import { openJudge } from './judge.ts';

/** Far enough below the default threshold of five. */
const FAR = 3.5;

const MESSAGES: Record<string, readonly string[]> = {
	English: [
		'Hello, I found your website on YouTube and would like a free quote for a new kitchen. Our budget is $15,000, please call me on +44 20 7946 0958.',
		'Could you tell me whether my insurance covers the consultation, and what the price is without it? I can pay by credit card or cash.',
		'My order has not arrived yet. The invoice says it was shipped on Monday; please check it and refund the delivery costs.',
		'We run a small business and look for a company that does SEO and web design. What would your marketing offer be?',
		'I want to unsubscribe from your newsletter. I clicked the link in the email, but it does not work: https://example.com/unsubscribe',
		'Is the apartment still available? We would be interested in a visit this weekend. My wife and I both work in the city.',
		'Do you have this watch in stock? I would like to buy it as a gift for my husband, he turns fifty in June!',
		'My late father was a member of your club. He died last week, and we would like to cancel his subscription.',
		'We applied for a mortgage at your bank in March and have not heard of it since. Who can help us, please?',
		'I have been taking this medication for a month and my doctor told me to ask you for a new prescription.',
		'Your bitcoin payment option fails at the last step. I tried twice, $40 each time, and the money is gone from my wallet.',
		'I pasted <a href="https://example.com/">the link</a> into my page as your guide says, but it shows the tag itself. What am I doing wrong?',
		'Thank you for your time on the phone. I am absolutely happy with the offer, and would like to collect the car from your dealer on Friday.',
		'We want better marketing, so that search engines find our shop. Do you also do web design? Hundreds of customers ask us every year.',
		'Please send me the form for the free trial lesson, and tell me the prices of the course after that. Thank you!',
	],
	German: [
		'Guten Tag, ich hätte gerne ein kostenloses Angebot für eine neue Heizung. Bitte rufen Sie mich unter 030 123456789 zurück.',
		'Meine Bestellung ist noch nicht angekommen, obwohl ich die Rechnung über 49,90 € schon bezahlt habe. Wann kommt die Lieferung?',
		'Ich habe beim Gewinnspiel in Ihrem Laden gewonnen und möchte fragen, wo ich den Gutschein abholen kann.',
		'Wir suchen eine Agentur für unsere Website und Suchmaschinenoptimierung. Was würde das ungefähr kosten?',
		'Ich möchte meinen Kredit vorzeitig zurückzahlen. Welche Kosten entstehen mir dadurch?',
		'Könnten Sie mir bitte einen Termin für nächste Woche geben? Vormittags passt es mir am besten. Mit freundlichen Grüßen',
	],
	Chinese: [
		'您好，我想咨询一下贵公司产品的价格，如果量大有没有优惠？请联系我，电话13800138000，谢谢。',
		'我上周在你们网站订购的商品还没有收到，请帮我查询一下物流，需要开发票。',
		'你好，我们公司想和贵公司合作，做你们在上海的代理，请把资料发到我的邮箱。',
		'你好，我的手机收不到验证码，网络也连不上，请问软件怎么设置？如有不便敬请谅解。',
		'您好，我是贵网站的会员，想洽谈广告投放和商务合作，请留一个邮件地址。',
		'请问你们周末营业吗？我想预约维修手机，大概需要多少钱？',
		'我对你们的培训课程很感兴趣，请问什么时候开课，学费多少，可以免费试听吗？',
	],
	Arabic: [
		'السلام عليكم، أريد معرفة سعر الخدمة وهل يوجد عرض خاص للشركات؟ يرجى الاتصال بي على الرقم 0501234567 وشكرا لكم',
		'لم يصل طلبي حتى الآن رغم أنني دفعت رسوم الشحن قبل أسبوع. الرجاء التحقق من الطلب وإرسال رقم التتبع',
		'هل الاشتراك في الدورة مجاني؟ وما هي الشروط والأحكام؟ أحتاج التفاصيل على بريدي الإلكتروني',
		'أبحث عن وظيفة في شركتكم، أرفقت السيرة الذاتية وأرجو التواصل معي عبر الواتساب',
	],
	French: [
		'Bonjour, je voudrais recevoir un devis gratuit pour la rénovation de ma salle de bain. Vous pouvez m’appeler au 06 12 34 56 78.',
		'Ma commande n’est pas arrivée. Pouvez-vous vérifier la livraison et me rembourser les 25 € de frais ?',
	],
};

describe.each(Object.entries(MESSAGES))('%s', (_language, messages) => {
	test.each(messages)('%s', (message) => {
		const { reasons, score } = openJudge()({ name: 'A. Customer', email: 'customer@example.com', message });
		expect({ score, reasons: score > FAR ? reasons : [] }).toEqual({ score, reasons: [] });
	});
});
