export { type Bump, bumps, type Change, covers, highest } from './change.ts'
export { commonCommit, refExists, withCheckout } from './checkout.ts'
export { compareSpecs, type DocumentReport, type FamilyReport } from './compare-specs.ts'
export { familyTables, markdownReport } from './report/markdown.ts'
