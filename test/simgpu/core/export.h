// Visibility of the simulated device's symbols: everything is hidden unless marked here.
#pragma once
#define GPUSTALL_SIM_API __attribute__((visibility("default")))
