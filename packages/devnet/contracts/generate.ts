import { writeFileSync } from 'node:fs'
import { compileSampleToken } from './compile-sample-token.ts'

writeFileSync(new URL('../src/generated/sample-token.ts', import.meta.url), compileSampleToken())
