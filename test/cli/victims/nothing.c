/* Ends at once; what matters is how it is linked. */
int main(void) {
  return 0;
}
