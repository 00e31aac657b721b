import { writeFileSync } from 'node:fs'
import { compileSampleJetton } from './compile-sample-jetton.ts'
import { compileSampleToken } from './compile-sample-token.ts'

const directory = new URL('../src/generated/', import.meta.url)
writeFileSync(new URL('sample-token.ts', directory), compileSampleToken())
writeFileSync(new URL('sample-jetton.ts', directory), await compileSampleJetton())
