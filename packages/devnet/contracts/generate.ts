import { writeFileSync } from 'node:fs'
import { compileSampleJetton } from './compile-sample-jetton.ts'
import { compileSampleToken } from './compile-sample-token.ts'

const sources = new URL('../src/', import.meta.url)
writeFileSync(new URL('evm/generated/sample-token.ts', sources), compileSampleToken())
writeFileSync(new URL('jetton/generated/sample-jetton.ts', sources), await compileSampleJetton())
