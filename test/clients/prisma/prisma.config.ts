// In docs/clients/javascript.md:
// prisma.config.ts
import { defineConfig } from 'prisma/config';

export default defineConfig({
    schema: 'schema.prisma',
    experimental: { externalTables: true },
    tables: { external: ['public.album', 'public.visit'] },
});
// End.
