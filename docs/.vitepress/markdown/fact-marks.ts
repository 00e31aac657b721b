import type { MarkdownRenderer } from 'vitepress'

/** Renders pages without the marks that connect numbers and tables to the code. */
export function factMarks(md: MarkdownRenderer): void {
  md.core.ruler.before('normalize', 'fact-marks', (state) => {
    state.src = withoutFactMarks(state.src)
  })
}

/** Removes the marks of facts and of generated tables from Markdown, except those that are code. */
export function withoutFactMarks(text: string): string {
  return text.replaceAll(/<!-- (?:fact|request-walk): .*? -->(?!`)/g, '')
}
