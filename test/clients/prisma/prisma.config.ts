// In docs/clients/javascript.md:
// prisma.config.ts
import { defineConfig, env } from 'prisma/config';

export default defineConfig({
    schema: 'schema.prisma',
    datasource: { url: env('DATABASE_URL') },
    experimental: { externalTables: true },
    tables: { external: ['public.album', 'public.visit'] },
});
// End.
