import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme, storedTheme } from './shell/theme.ts'
import './styles/index.css'

applyTheme(storedTheme())
const root = document.querySelector('#console')
if (root) render(<App />, root)
