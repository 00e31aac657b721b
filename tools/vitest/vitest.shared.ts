import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { memoryFolder } from './memory-folder.ts'

// Before the first use of the folder for temporary files. Workers, and programs that tests start, inherit it.
const folder = memoryFolder()
if (folder !== undefined) process.env['TMPDIR'] ??= folder

// Workspace packages are read from their sources, so no build is needed before a test.
const conditions = ['@fairlead/source', 'module', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', 'json'],
    outputFile: { json: '.results/vitest.json' },
    passWithNoTests: false,
    sequence: {
      shuffle: process.env['CI'] !== undefined,
      // The same order in each run, so that a failure can be reproduced.
      seed: Number(process.env['FAIRLEAD_TEST_SEED'] ?? 1),
    },
    restoreMocks: true,
    // Test files keep no state in modules, so those of a package share one worker that loads the sources once.
    isolate: false,
    // In-memory databases are created and dropped frequently: with a small initial heap, garbage collection is a
    // seventh of all the work.
    execArgv: ['--initial-old-space-size=1500', '--min-semi-space-size=32'],
    // Programs that tests start load the same sources repeatedly. The cache shares compiled code between them.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'fairlead-compile-cache') },
    // Real engines are slow on a busy machine. A test that waits without success still ends.
    testTimeout: 60_000,
    // A server process that does not start within 240 seconds ends with its output as the error.
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
