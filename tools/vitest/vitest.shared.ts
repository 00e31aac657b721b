import { defineConfig } from 'vitest/config'

// Workspace packages are read from their sources, so no build is needed before a test.
const conditions = ['@fairlead/source', 'module', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', ['json', { outputFile: '.results/vitest.json' }]],
    passWithNoTests: false,
    restoreMocks: true,
  },
})
