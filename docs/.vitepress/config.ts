import { defineConfig } from 'vitepress'
import { writeTextPages } from '../generate/text-pages.ts'
import { codeThemes, styleOfSubtleText } from './colors.ts'
import { styleOfDrawings } from './markdown/drawing.ts'
import { factMarks } from './markdown/fact-marks.ts'
import { fences } from './markdown/fences.ts'
import { relativeLinks } from './markdown/links.ts'
import { searchOptions } from './search.ts'
import { sidebar } from './sidebar.ts'
import { slugOf } from './slug.ts'
import { summaryOf } from './summary.ts'

export default defineConfig({
  title: 'Fairlead',
  description: summaryOf('index.md').description,
  head: [
    ['style', {}, styleOfDrawings],
    ['style', {}, styleOfSubtleText],
    ['link', { rel: 'icon', href: 'data:,' }],
  ],
  srcExclude: ['test/**', 'generate/**'],
  transformPageData: ({ relativePath }) => summaryOf(relativePath),
  transformHead: ({ page }) =>
    page === '404.md' ? [] : [['link', { rel: 'alternate', type: 'text/markdown', href: `/${page}` }]],
  buildEnd: ({ outDir }) => writeTextPages(outDir),
  markdown: {
    // Pages are Markdown alone, and names of files are no addresses.
    html: false,
    linkify: false,
    theme: codeThemes,
    anchor: { slugify: slugOf },
    languageAlias: { env: 'dotenv' },
    config(md) {
      md.use(factMarks)
      md.use(relativeLinks)
      md.use(fences)
    },
  },
  themeConfig: {
    search: { provider: 'local', options: searchOptions },
    outline: [2, 3],
    notFound: {
      title: 'Page not found',
      quote: 'This page does not exist. It may have moved.',
      linkText: 'Go to the start page',
    },
    sidebar: sidebar(),
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Configuration', link: '/reference/configuration' },
      { text: 'Errors', link: '/reference/errors' },
    ],
  },
})
