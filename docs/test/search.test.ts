import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { searchOptions } from '../.vitepress/search.ts'
import { files, site } from './built-site.ts'

interface MiniSearch {
  search(query: string): readonly { readonly id: string }[]
}

// A dependency of VitePress, in its release, and not of this package.
const library = 'minisearch'
const require = createRequire(createRequire(import.meta.url).resolve('vitepress'))
const { default: Search } = (await import(
  /* @vite-ignore */ pathToFileURL(require.resolve(library)).href
)) as { default: { loadJSON(index: string, options: object): MiniSearch } }

/** The search of the site, as a browser loads it from its file, with the defaults of VitePress. */
async function loadSearch(): Promise<MiniSearch> {
  const index = files.find((file) => /localSearchIndex.*\.js$/.test(file)) ?? ''
  const { default: text } = (await import(/* @vite-ignore */ pathToFileURL(join(site, index)).href)) as {
    default: string
  }
  return Search.loadJSON(text, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: {
      fuzzy: 0.2,
      prefix: true,
      boost: { title: 4, text: 2, titles: 1 },
      ...searchOptions.miniSearch?.searchOptions,
    },
    ...searchOptions.miniSearch?.options,
  })
}

describe('the search without a server', async () => {
  const search = await loadSearch()

  it.each([
    ['an option', 'maxLogRange', '/reference/configuration.html'],
    ['an environment variable', 'FAIRLEAD_MAX_LOG_RANGE', '/reference/configuration.html'],
    ['a code of the clients', 'STREAM_GAP', '/reference/errors.html'],
    ['a code of JSON-RPC', '-32005', '/reference/errors.html'],
    ['a code at the start', 'STORE_KEY', '/reference/errors.html'],
    ['a method of Ethereum', 'eth_getLogs', '/reference/methods.html'],
    ['a method of TON', 'getConfigParam', '/reference/ton-get-config-param.html'],
    ['a function', 'subscribeGeyser', '/api/grpc/solana.html'],
    ['an API by its known name', 'toncenter', '/reference/node-access/ton.html'],
    ['a plugin by its known name', 'Yellowstone Geyser', '/reference/node-access/grpc.html'],
    ['a platform', 'Kubernetes', '/self-hosting/kubernetes.html'],
    ['a topic in the reference', 'credentials', '/reference/nodes.html'],
    ['a recipe', 'streaming from Solana', '/recipes/streaming.html'],
  ])('finds %s: %s', (_, words, page) => {
    const [first] = search.search(words)
    expect(first?.id.split('#')[0]).toBe(page)
  })

  it('finds operations of the specifications', () => {
    const found = search.search('debug_traceCallMany').map(({ id }) => id.split('#')[0])
    expect(found.slice(0, 5)).toContain('/specifications/evm.html')
  })
})
