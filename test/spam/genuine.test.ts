/** Messages that people send to shops, offices and clubs: the rules leave them far from the threshold, whatever they name. */

import { describe, expect, test } from 'bun:test';
import { Message } from '../../src/spam/text/message.ts';
import { OFFER_PHRASES } from '../../src/spam/text/offer-phrases.ts';
import { openJudge } from './judge.ts';
import { OFFERS } from './outreach.ts';

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
	Agencies: [
		'We are looking for a web design company that could rebuild our shop. Do you also offer SEO services and social media management, and what would it cost?',
		'I came across your website and love your pottery. Do you offer courses for beginners? We would like to book a quick call this week.',
		'Our agency does mobile app development, and we saw your job ad for a web designer. Is the position still open? My portfolio is attached.',
		'Wir suchen eine Webdesign Agentur, die unsere Website neu macht und uns bei Google nach vorne bringt. Können Sie uns ein Angebot schicken?',
		'Bonjour, notre association cherche une agence web pour la refonte de notre site et son référencement naturel. Pouvez-vous nous faire un devis gratuit ?',
		'Buscamos una agencia de marketing digital para el posicionamiento web de nuestra tienda. ¿Cuánto cuesta una auditoría?',
		'Hello, I noticed your website has a broken link on the page about opening hours, just to let you know. Best wishes',
		'Our shop is not ranking on Google any more and we lose traffic. Could you do an SEO audit and send us a proposal with pricing? We want more leads.',
		'I need an explainer video of 60 seconds with a voice over for our product launch. What do you charge, and can I see your past work?',
		'Do you accept guest posts? I am a nurse and would like to write an article about night shifts for your blog, no links needed.',
		'We are choosing between three agencies for our Instagram and Google Ads. Please send your price list and tell us when you are free for a quick call.',
		'I was looking at your website and noticed that the booking form fails on my phone, so I could not order. Could you help me?',
		'Unsere Website ist nicht mehr zeitgemäß, wir möchten mehr Anfragen und eine bessere Sichtbarkeit bei Google. Was kostet eine Betreuung bei Ihnen?',
		'Guten Tag, auf Ihrer Seite steht, dass Sie Erklärvideos drehen. Ich bin beim Besuch Ihrer Website neugierig geworden, haben Sie im Mai Zeit?',
		'Nous voulons refaire notre site et gagner en visibilité sur Google avec plus de trafic. Quels sont vos tarifs pour un audit SEO ?',
		'Bonjour, en visitant votre site j’ai vu que vous proposez des vidéos de présentation. Seriez-vous disponible en juin pour notre restaurant ?',
		'Estimados, he visitado su página web y estoy interesado en sus servicios de posicionamiento. ¿Pueden enviarme un presupuesto sin compromiso?',
		'Queremos aparecer en Google y conseguir más clientes para la tienda. ¿Ofrecen diseño web y publicidad en redes sociales?',
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
		'您好，我司是苏州一家机械厂，想采购贵公司的设备，请报价并注明是否含增值税发票、税率多少，交货期多长。联系人：王先生，电话 0512-65431234，传真 0512-65431235。谢谢！',
		'你好，我在贵公司网站上看到你们的产品，想了解一下批发价格和运输费用。我们是长期合作的客户，希望价格能优惠一点。请来电或者加我微信。',
		'尊敬的客服：我上个月购买的手机出现质量问题，贵公司承诺七天无理由退货，但是客服热线一直打不通。请尽快处理，否则我只能向消费者协会投诉。',
		'您好，我想为公司年会预订酒店，大约80人，需要会议室、投影设备和晚宴。请提供报价和菜单，最好有折扣。',
		'你们的网站点击“免费注册”以后没有反应，域名邮箱也收不到验证邮件，请问是什么原因？谢谢。',
		'请问贵司有没有兼职或者实习的机会？我是大三的学生，学平面设计和网页设计的，熟悉常用软件，附件是我的简历。',
		'我想办理信用卡和贷款，请问需要什么资质和证件？额度和利率是多少？可以上门办理吗？',
		'您好，我们想参加今年的展会，请问展位费用多少，如何报名？我公司主要生产印刷和包装产品，之前参展过两次。',
		'老师您好，我是学员李明，上次研讨课的资料我没有收到，麻烦您再给我发一份，我的邮箱没有变。打扰您了，谢谢！',
		'我们公司打算做一个外贸网站，请问网站建设、域名和虚拟主机一共多少钱？搜索引擎排名能做吗？请业务负责人给我回个电话。',
		'请问货代，从深圳到洛杉矶海运一个20尺柜的运价是多少？报关费用另算吗？我们每月大概走两三票货，希望长期合作。',
		'财务您好，上周的发票税率开错了，应该是增值税专用发票13%，请重新开具并寄到我公司，谢谢配合。',
		'我从朋友那里听说你们的瑜伽课效果很好，想免费体验一次，请问周末有课吗？如果您方便的话请给我打电话。',
		'你好，我爱人怀孕五个月，想订购一套优质的婴儿床，要环保一点的，请问最优惠的价格是多少，能货到付款吗？',
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

test.each([
	'Bitte rufen Sie mich unter 040 1234567 an, am besten vormittags, vielen Dank',
	'Guten Tag, ich bin ab 18 Uhr unter 040 12345678 zu erreichen. Mit freundlichen Grüßen',
	'Please call me on 020 7946 0958 about the kitchen quote, tomorrow morning is best',
	'Je voudrais un rendez-vous demain, vous pouvez me rappeler au 06 12 34 56 78 après le travail',
	'Necesito una cita para el lunes, por favor llámeme al 612 345 678 por la tarde',
])('who asks to be called gets no points for it: %s', (message) => {
	expect(openJudge()({ name: 'A. Customer', message }).reasons).toEqual([]);
});

test('a phrase of an offer is words as a text is read, so that it can be met', () => {
	const phrases = OFFER_PHRASES.flatMap(([, texts]) => texts.split(/,\s+/));
	const wordsOf = (phrase: string) => {
		const { lower, length, starts, ends } = new Message(JSON.stringify([phrase]));
		return Array.from({ length }, (_, at) => lower.slice(starts[at], ends[at]));
	};
	expect(phrases.filter((phrase) => wordsOf(phrase).join(' ').trim() !== phrase)).toEqual([]);
	expect(new Set(phrases).size).toBe(phrases.length);
});

test('four in ten unsolicited offers are found before anything was taught, and a phrase counts once', () => {
	const judge = openJudge();
	const scores = Object.values(OFFERS)
		.flat()
		.map((message) => judge({ name: 'A. Seller', email: 'seller@example.com', message }).score);
	expect(scores.filter((score) => score >= 5).length).toBeGreaterThanOrEqual(0.4 * scores.length);
	expect(scores.every((score) => score >= 1.5)).toBe(true);
	const twice = judge({
		message: 'I have written a guest post on gardens, and after that I shall write another guest post on trees.',
	});
	expect(twice.reasons).toEqual([{ rule: 'words', points: 2, detail: '“guest post” 2' }]);
});
