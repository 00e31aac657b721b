import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'
import { referenceData } from './reference-data/plugin.ts'

const compressible = /\.(?:html|js|css|svg)$/

/** Writes a `.br` and a `.gz` file for each text file, so that the gateway compresses nothing at run time. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    // A development build does not need it.
    apply: (_, { command, mode }) => command === 'build' && mode === 'production',
    async writeBundle({ dir = '' }) {
      const names = await readdir(dir, { recursive: true })
      await Promise.all(
        names.filter((name) => compressible.test(name)).map((name) => writeCompressed(join(dir, name))),
      )
    },
  }
}

async function writeCompressed(path: string): Promise<void> {
  const text = await readFile(path)
  // The highest level takes seconds for the contracts and saves little.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  await Promise.all([
    promisify(brotliCompress)(text, { params }).then((bytes) => writeFile(`${path}.br`, bytes)),
    promisify(gzip)(text).then((bytes) => writeFile(`${path}.gz`, bytes)),
  ])
}

export default defineConfig({
  base: '/console/',
  // Workspace packages are resolved to their sources, so they need no build before this one.
  resolve: { conditions: ['@fairlead/source', 'module', 'browser', 'production'] },
  plugins: [referenceData(), precompress()],
  build: {
    target: 'es2023',
    // The content security policy would block an asset that is inlined into a script or a style.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    reportCompressedSize: false,
    rolldownOptions: { input: ['index.html', 'reference.html'] },
  },
})
