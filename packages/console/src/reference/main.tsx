import { render } from 'preact'
import { applyTheme, storedTheme } from '../shell/theme.ts'
import '../styles/index.css'
import { ReferenceApp } from './app.tsx'
import './reference.css'

applyTheme(storedTheme())
const root = document.querySelector('#reference')
if (root) render(<ReferenceApp />, root)
