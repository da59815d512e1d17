/** Instances with one form of so many submissions. */

import { type Form, openProduct, type Product, ROOT } from './product.ts';

export interface Stock {
	product: Product;
	form: Form;
	rows: number;
}

export async function stock(name: string, rows: number, settings: Record<string, string> = {}): Promise<Stock> {
	const product = await openProduct(name, settings);
	const server = await product.start();
	const form = await product.createForm(server, 'Stocked');
	await server.stop();
	await Bun.$`bun ${ROOT}/bench/seed.ts --file ${product.place} --form ${form.id} --rows ${rows}`.quiet();
	return { product, form, rows };
}
