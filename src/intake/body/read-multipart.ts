/** Reads a multipart body into the content to store, with the files that come in it. */

import { networkOf } from '../../http/client-address.ts';
import type { FormRow } from '../../storage/tables.ts';
import type { Feed } from './bytes.ts';
import { type Content, contentOf } from './content.ts';
import type { Media } from './media.ts';
import type { TextLimits } from './multipart-parser.ts';
import { createMultipartReader } from './multipart-reader.ts';
import { specialNamesOf } from './special-fields.ts';
import type { Uploads } from './upload.ts';

export interface MultipartBody {
	media: Media;
	feed: Feed;
}

/** Throws as {@link createMultipartReader} does; then nothing of the files is left. */
export function createMultipartRead(uploads: Uploads, limits: TextLimits) {
	return async (
		{ form, clientAddress }: { form: FormRow; clientAddress: string },
		{ media, feed }: MultipartBody,
	): Promise<Content> => {
		const files = uploads({ form, network: networkOf(clientAddress) });
		try {
			const reader = createMultipartReader(media.boundary, { limits, files });
			await feed(reader);
			const content = contentOf(reader.end(), specialNamesOf(form));
			return files.hasFiles() ? { ...content, files } : content;
		} catch (error) {
			await files.close();
			throw error;
		}
	};
}
