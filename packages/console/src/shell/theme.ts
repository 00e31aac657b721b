/** The selected theme; `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark'

const key = 'fairlead-theme'

/** The event on `window` after a change of colors. */
export const themeChange = 'fairlead-theme-change'

/** The stored theme; a browser without storage follows the device. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(key)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    return 'system'
  }
}

/** Applies a theme to the page. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  window.dispatchEvent(new Event(themeChange))
}

/** Applies a theme to the page and stores it. */
export function chooseTheme(theme: Theme): void {
  applyTheme(theme)
  try {
    localStorage.setItem(key, theme)
  } catch {
    // Without storage it applies to this visit only.
  }
}
