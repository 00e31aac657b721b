export { default } from '@fairlead/vitest'
