// In docs/clients/javascript.md:
// ids.js
import { customType } from 'drizzle-orm/pg-core';

export const id64 = customType({ dataType: () => 'id64' });
export const ulid = customType({ dataType: () => 'ulid' });
// End.
