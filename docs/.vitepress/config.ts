import { defineConfig } from 'vitepress'
import { styleOfDrawings } from './markdown/drawing.ts'
import { fences } from './markdown/fences.ts'
import { relativeLinks } from './markdown/links.ts'
import { sidebar } from './sidebar.ts'
import { slugOf } from './slug.ts'

/** What the search finds: all words of a page, but names alone of types and functions. */
function searchedText(page: string, text: string): string {
  return page.startsWith('api/') ? (text.match(/^##? .*$/gm) ?? []).join('\n\n') : text
}

export default defineConfig({
  title: 'Fairlead',
  description:
    'Open-source gateway for blockchain nodes (Ethereum, TON, Solana, Sui), and typed TypeScript clients.',
  head: [
    ['style', {}, styleOfDrawings],
    ['link', { rel: 'icon', href: 'data:,' }],
  ],
  srcExclude: ['test/**', 'generate/**'],
  markdown: {
    // Pages are Markdown alone, and names of files are no addresses.
    html: false,
    linkify: false,
    anchor: { slugify: slugOf },
    languageAlias: { env: 'dotenv' },
    config(md) {
      md.use(relativeLinks)
      md.use(fences)
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: { _render: (text, env, md) => md.render(searchedText(env.relativePath, text), env) },
    },
    outline: [2, 3],
    sidebar: sidebar(),
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Configuration', link: '/reference/configuration' },
      { text: 'Errors', link: '/reference/errors' },
    ],
  },
})
