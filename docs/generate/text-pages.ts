import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { withoutFactMarks } from '../.vitepress/markdown/fact-marks.ts'
import { siteLink } from '../.vitepress/markdown/links.ts'
import { sections } from '../.vitepress/sidebar.ts'
import { sourceOf, summaryOf } from '../.vitepress/summary.ts'

/**
 * Writes the Markdown of every page next to its HTML, and `llms.txt`, which lists all of them.
 *
 * @param outDir - folder of the built site
 * @see https://llmstxt.org
 */
export async function writeTextPages(outDir: string): Promise<void> {
  for (const page of sections().flatMap(({ pages }) => pages)) {
    const file = resolve(outDir, page)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, markdownOf(page))
  }
  await writeFile(resolve(outDir, 'llms.txt'), listOfPages())
}

function listOfPages(): string {
  const lists = sections().map(({ text, pages }) => {
    const lines = pages.map((page) => {
      const { title, description } = summaryOf(page)
      return `- [${title}](/${page}): ${description}`
    })
    return `## ${text}\n\n${lines.join('\n')}\n`
  })
  return `# Fairlead\n\n> ${summaryOf('index.md').description}\n\n${lists.join('\n')}`
}

/**
 * The text of a page without front matter and marks of facts. Links lead to the Markdown of other pages, from the root
 * of the site.
 */
function markdownOf(page: string): string {
  const text = withoutFactMarks(sourceOf(page).replace(/^---\n[^]*?\n---\n+/, ''))
  // Fenced code stays unchanged.
  return text.replaceAll(
    /^( *)(`{3,}|~{3,})[^]*?^\1\2|(\]\()([^()\s]+)(?=\))/gm,
    (match, _, fence, open, href) =>
      fence === undefined ? `${String(open)}${siteLink(page, String(href))}` : match,
  )
}
