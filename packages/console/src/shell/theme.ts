/** What the reader chose; `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark'

const key = 'fairlead-theme'

/** The event on `window` after which colours are others. */
export const themeChange = 'fairlead-theme-change'

/** The theme that was chosen last time; a browser that keeps nothing follows the device. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(key)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    return 'system'
  }
}

/** Shows the page in a theme. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  window.dispatchEvent(new Event(themeChange))
}

/** Shows the page in a theme, the next time too. */
export function chooseTheme(theme: Theme): void {
  applyTheme(theme)
  try {
    localStorage.setItem(key, theme)
  } catch {
    // It holds for this visit then.
  }
}
