/**
 * Words, and pairs of words, that spam has far more often than genuine messages, with their points. How they were chosen, and what
 * they add: docs/spam.md.
 */

export const SIGNAL_WORDS: readonly (readonly [points: number, words: string])[] = [
	[
		0.5,
		`a fraction, a profitable, about your, absolutely free, advised, also include, and personal, approved, as low, assist,
		assistance, assistance to, attained, bank account, be considered, be paid, be taken, beneficiary, benefits of, bills,
		bonus caller, business days, business in, business is, business on, buy or, caller, cash or, charge you, click here,
		congratulations, contracted, cooperation, cost and, cost to, credit, dealer, debt, deposit, deposited, earning, email
		because, email in, email marketing, email messages, email you, enlarge, erection, error or, error please, expenses, for
		only, for removal, fraction of, free adult, free quote, from further, future mailings, future offers, general public,
		get started, great price, guaranteed to, have decided, here now, home based, honesty, hundreds, income, income in,
		individuals or, information and, ingredients, instruction, insurance companies, interest and, internet marketing, lean
		muscle, learn how, lenders, libido, listed on, litigation reform, lose weight, low as, low price, lowest rates, mailings
		please, making over, manage your, mastercard, million email, miss out, money in, money online, money order, motivated,
		much much, news release, no obligation, not intended, now for, offer to, offers from, online and, opportunity, or sell,
		or service, or their, or your, our subscribers, our web, part time, pay more, pay you, penile, permanently, please
		accept, please allow, please fill, please read, presentations, print this, private securities, product or, program and,
		program for, proposal, provide you, purchased, purposes only, qualify, qualify for, quickly and, rates and, receipt,
		receive, receive free, receive this, recommendation, refinance, reform act, removal, removal instructions, remove click,
		remove your, reports so, request to, retail value, revenues, rich quick, risk and, save you, secrets, security company,
		send out, service is, should you, show you, simply click, sincere, software suite, sold or, start your, states dollars,
		strictly confidential, superior, term life, the purchase, the sum, the transaction, this mailing, this opportunity,
		through our, to assist, to introduce, to invest, to qualify, to request, to visit, train you, usd, via email, video on,
		way we, we cannot, we may, web credit, weight loss, will provide, will receive, word remove, work from, working from,
		xenical, you decide, you lose, you qualify, you within, your ad, your computer, your country, your financial, your free,
		your online, your order, your privacy, your private, your product, your self, your urgent, your website, yourself from,
		أمني, أوقف, أوقف العملية, إرسال, إرسال السيرة, إزالته, اشتراك عبر, اكتشاف, اكتشاف عملية, اكتشافه, اكتشافه في, الأخيرة,
		الإقامة, الإقامة قبل, الاتصال بك, التحقق, التحقق الآن, الجائزة, الجائزة خلال, الدفع, الرسائل النصية, الرسمية, السيرة,
		السيرة على, العرض, العرض ينتهي, العملية, العنوان, المضاعفات, الهوية, الواتساب, بجائزة, بعد براتب, بيانات, تأكيد الجائزة,
		تأكيد الهوية, تأكيد طلب, تجنب الإيقاف, تجنب المضاعفات, تحديث العنوان, تحديث بيانات, تحويل مشبوهة, تسدد, تسليمها, تم
		اكتشاف, تم اكتشافه, تنبيه أمني, تنبيه من, تواصل عبر, توجد مبالغ, جائزة, جائزة بقيمة, جمركية, جمركية بقيمة, جنيه نقدًا,
		جهازك, حر في, حسابك, حسابك بمبلغ, حسابك في, حصري لسكان, خطير, خطير تم, خلال ساعتين, دخل, دخل شهري, دفع رسوم, رسالة نصية,
		رسوم, رسوم جمركية, ريال لإكمال, ساعتين, سحب بقيمة, سفرتي, شاغرة, شهري, شهري يصل, عاجلة, عروض اليوم, على الواتساب, عمل
		حر, عمل عن, عملية تحويل, عميلنا, عن بعد, غير مسددة, فاتورتك, فاتورتك الأخيرة, فرصة لسيدات, فزت بـ, فقدت, فقدت محفظتي,
		فوراً عبر, فوزاً, في جهازك, فيروس, فيروس خطير, قطع, قطع لم, قيمتها, لإكمال, لإكمال سفرتي, لإلغاء, لإلغاء الاشتراك,
		لتحديث, لسيدات, لعدم, لعدم دفع, للاختراق, للرقم, لم تسدد, لم يتم, مالية, مالية لم, مبالغ, محاولة, محاولة سحب, محفظتي,
		محفظتي في, مسددة, مسددة باسمك, مشبوهة, مشبوهة من, مشروع, مشروع عمل, مضمون, مضمونة, مطلوب, مطلوب تحديث, معرض, معرض
		للاختراق, معلقة, معلقة لعدم, من حسابك, من فاتورتك, نقدًا, هاتفك المحمول, وأحتاج, وثيقتك الرسمية, وظيفة, وظيفة شاغرة,
		يتم, يتم تسليمها, يصل, يصل لـ, ينتهي, ينتهي اليوم, يوجد محاولة`,
	],
	[
		1,
		`a blank, absolutely, all natural, and start, and women, anytime, are offering, at no, bad credit, banner, be excluded,
		been sent, below is, billing, bitcoin, bonus, boost your, business proposal, cancel, cash, channel, click, clicking,
		clicking here, collect, communication, company and, compliance with, confidentiality, crypto, days to, email lists,
		email with, enable us, excluded from, fax numbers, fill out, financially, fixe, forex, form below, free trial, from
		future, from our, fund, geldanlage, get rich, gewinnspiel, gratuit, grow your, have ever, help you, identification, in
		compliance, increase traffic, increase your, incurred, information please, invest, investment opportunity, is free, is
		high, keywords, kostenlos, limited time, list in, loan, lucrative, marketing, medication, mlm, mobiles, money with, more
		info, no risk, on youtube, one easy, online casino, operator, opt, or call, our list, outreach, own free, own home,
		passive income, permission to, pill, please call, please reply, premium, prize, promotion, ranking, rankings, receipt
		of, receive these, recevoir, remove in, remove yourself, reply with, risk free, satisfaction, search engines, sending
		out, sponsored post, submitted by, subscribe, subscriber, sum of, telephone and, the comfort, the fund, the funds, the
		lowest, this business, this fund, this letter, this link, this program, to contact, unlimited, urgent, valued, vip, want
		you, we offer, we will, will enable, will never, will send, with remove, you by, you deserve, you no, you received, you
		will, you with, your assistance, your business, your contact, your future, your penis, your time, youtube, إخطار, إخطار
		من, إسترليني, إلى الرقم, اتصل على, استرد, استرليني, الأرضي, الاتصال على, التسجيل, التصحيح, التصحيح خلال, التفاصيل,
		الرابط, الرقم, السداد, السداد خلال, العملاء, باسمك, بالتسجيل, بحاجة, براتب, برقم, بريد, تجنب, تحديث, تواصل, جمارك, جنيه
		إسترليني, جنيه استرليني, جنيهًا, حصري, خاص, خدمة, ربحت, رصيد, رمز, ريال شهرياً, ريال للتخليص, ريال من, سارع, سارع
		بالتسجيل, ساعة ضروري, سجل, سجل الآن, شحنتك متوقفة, شهرياً, صندوق, صندوق بريد, ضروري, عرض, عرض حصري, على الرقم, على
		هاتفك, فزت, فقط, فوراً, في جمارك, في وثيقتك, فيديو, لسكان, لقد ربحت, للتخليص, للحصول, للحصول على, للمطالبة, متوقفة,
		متوقفة في, مجانية لـ, منحك, نصية, هاتفك, وثيقتك, يحتاج, 优惠, 加微信, 投资`,
	],
	[
		1.5,
		`and enter, are interested, be removed, betting, can save, cash in, casino, compliance, credit cards, explainer video,
		followers, funds, guarantee, incredible, kredit ohne, levitra, link building, mailings, million dollars, mobile
		friendly, mortgage, no credit, not receive, not unsolicited, or reply, organic traffic, out our, per minute,
		potenzmittel, profitable, purchase of, replica, reward, search ranking, seo, seo optimierung, seo services, should
		check, slots, sofortkredit, stop إلى, strong buy, telegram channel, this money, this transaction, to increase, to opt,
		toll free, tramadol, web traffic, webcam, website traffic, احصل, احصل على, الاتصال, التواصل معك, بنسًا, تأكيد عنوان,
		جنيهات, خدمة العملاء, ريال لإرسال, عنوان التوصيل, قم بالرد, لإرسال, مبروك, مجانًا, يحتاج تأكيد, يرجى الاتصال, يُرجى, 彩票,
		贷款, 赌场`,
	],
	[
		2,
		`anspruch, avez gagné, awarded, backlinks, bitcoin investment, call now, casino bonus, check out, cialis, claim your,
		come true, crypto investment, dating, dating service, domain authority, earn, escort, essay writing, exposure, first
		page, forex signals, freemsg, gagné, gbp, get free, gewinnen, gewonnen, google ranking, gratuite, gratuitement,
		guaranteed, guest post, half price, hardcore, have won, herbal, hey guys, kostenlose, landline, make money, my channel,
		my videos, opt out, optout, our mailing, out my, out this, out who, page rank, payday loan, please subscribe, po box,
		pobox, porn, pour réclamer, real money, ringtone, réclamation, réclamer, selected to, send stop, slot gacor, stop to,
		stoptxt, to claim, to collect, txt, txt stop, txting, txts, ur mob, ur mobile, viagra, xxx, أحدث, أرسل, أرسل stop, اتصل
		الآن, ارسل, الاشتراك, التواصل, الخاص بك, الدقيقة, الرسائل, الشروط, الشروط والأحكام, المجاني, المحمول, النصية, بالرد,
		بالرقم, بتكلفة, بسعر, بنس, تكلفة, تنبيه, جنيه, عاجل, لإيقاف, مجاني, مجانية, نغمات, نغمة, والأحكام, 代开, 博彩, 发票`,
	],
];
