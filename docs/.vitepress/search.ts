import type { DefaultTheme } from 'vitepress'

/**
 * Options of the search in the browser. VitePress sends the text of the two functions to the browser, so they use
 * nothing outside themselves.
 */
export const searchOptions: DefaultTheme.LocalSearchOptions = {
  _render: (text, env, md) => md.render(searchedText(env.relativePath, text), env),
  miniSearch: {
    // By default, `STORE_KEY` is only the words `STORE` and `KEY`. A name is also one word here.
    options: {
      tokenize: (text) => [...text.split(/[\n\r\p{Z}\p{P}]+/u), ...(text.match(/\w+_\w+/g) ?? [])],
    },
    searchOptions: {
      boostDocument: (id: string) =>
        id.startsWith('/decisions/') ? 0.2 : id.startsWith('/reference/') ? 2 : 1,
    },
  },
}

/** All words of a page, except for pages of types and functions: their names alone. */
function searchedText(page: string, text: string): string {
  return page.startsWith('api/') ? (text.match(/^##? .*$/gm) ?? []).join('\n\n') : text
}
