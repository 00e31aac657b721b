import { useState } from 'preact/hooks'
import { Icon, type IconName } from '../components/icon.tsx'
import { chooseTheme, storedTheme, type Theme } from './theme.ts'

const themes: readonly (readonly [Theme, string, IconName])[] = [
  ['light', 'Light', 'sun'],
  ['dark', 'Dark', 'moon'],
  ['system', 'System', 'screen'],
]

/** Selects the light or dark theme, or that of the device. */
export function ThemeSwitch() {
  const [current, setCurrent] = useState(storedTheme)
  return (
    <div class="theme-switch" role="group" aria-label="Theme">
      {themes.map(([theme, label, icon]) => (
        <button
          key={theme}
          type="button"
          aria-pressed={theme === current}
          aria-label={label}
          title={label}
          onClick={() => {
            chooseTheme(theme)
            setCurrent(theme)
          }}
        >
          <Icon name={icon} />
        </button>
      ))}
    </div>
  )
}
