// Colors whose contrast is at least 4.5:1, as WCAG 2.1 requires. The defaults of VitePress have less.

/** Themes of highlighted code. */
export const codeThemes = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } as const

/** Shows subtle text, such as the language of a code block, in the color of secondary text. */
export const styleOfSubtleText = 'html:root{--vp-c-text-3:var(--vp-c-text-2)}'
