/* SPDX-License-Identifier: MIT */
/* test_symbols.c: lists of symbols in every accepted form, and the places of their addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spoor/image.h"

static char path[] = "/tmp/spoor-symbols-XXXXXX";

static void write_list(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static struct spoor_images *open_list(const char *text)
{
    struct spoor_error error = {0};
    struct spoor_images *images;
    assert_int_equal(spoor_images_new(&images, &error), SPOOR_OK);
    write_list(text);
    if (spoor_images_add(images, path, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return images;
}

/* "name+offset", or "-" */
static void demand(struct spoor_images *images, uint64_t pc, const char *expected)
{
    struct spoor_place place = {.struct_size = sizeof place};
    char found[256] = "-";
    if (spoor_images_function(images, pc, &place) && place.function)
        snprintf(found, sizeof found, "%s+%llu", place.function, (unsigned long long)place.offset);
    assert_string_equal(found, expected);
}

static void plain_names(void **state)
{
    (void)state;
    struct spoor_images *images = open_list("# comment\n\n1000 first\n0x1040 second one\n");
    demand(images, 0xfff, "-");
    demand(images, 0x1000, "first+0");
    demand(images, 0x103f, "first+63");
    demand(images, 0x1040, "second one+0");
    demand(images, 0x203f, "second one+4095");
    demand(images, 0x2040, "-");
    spoor_images_close(images);
}

static void columns_of_nm(void **state)
{
    (void)state;
    struct spoor_images *images = open_list("prog:\n"
                                            "                 U puts\n"
                                            "                 w __gmon_start__\n"
                                            "0000000000001000 T main\n"
                                            "0000000000001020 0000000000000008 t local\n"
                                            "0000000000001030 D data\n"
                                            "0000000000001040 W weak\n"
                                            "0000000000001040 T _strong\n"
                                            "0000000000001050 A absolute\n");
    demand(images, 0x101f, "main+31");
    demand(images, 0x1027, "local+7");
    demand(images, 0x1028, "-");
    demand(images, 0x1034, "-");
    demand(images, 0x1044, "_strong+4");
    demand(images, 0x1050, "-");
    uint64_t address;
    assert_true(spoor_images_find(images, "weak", 0, &address));
    assert_int_equal(address, 0x1040);
    assert_true(spoor_images_find(images, "data", 0, &address));
    assert_int_equal(address, 0x1030);
    assert_false(spoor_images_find(images, "data", 1, &address));
    assert_false(spoor_images_find(images, "puts", 0, &address));
    spoor_images_close(images);
}

static void columns_of_readelf(void **state)
{
    (void)state;
    struct spoor_images *images =
        open_list("\nSymbol table '.symtab' contains 4 entries:\n"
                  "   Num:    Value          Size Type    Bind   Vis      Ndx Name\n"
                  "     0: 0000000000000000     0 NOTYPE  LOCAL  DEFAULT  UND \n"
                  "     1: 00008001             8 FUNC    GLOBAL DEFAULT    1 thumb\n"
                  "     2: 00008000             0 NOTYPE  LOCAL  DEFAULT    1 $t\n"
                  "     3: 00008008             0 NOTYPE  LOCAL  DEFAULT    1 $d.3\n"
                  "     4: 00008010          0x10 FUNC    GLOBAL DEFAULT    1 arm\n"
                  "     5: 00008010             0 NOTYPE  LOCAL  DEFAULT    1 $a\n"
                  "     6: 00008014             0 NOTYPE  LOCAL  DEFAULT    1 label\n");
    demand(images, 0x8000, "thumb+0");
    demand(images, 0x8007, "thumb+7");
    demand(images, 0x8008, "-");
    demand(images, 0x8014, "arm+4");
    demand(images, 0x801f, "arm+15");
    demand(images, 0x8020, "-");
    struct spoor_place place = {.struct_size = sizeof place};
    spoor_images_function(images, 0x8002, &place);
    assert_int_equal(place.code, SPOOR_CODE_T32);
    spoor_images_function(images, 0x8010, &place);
    assert_int_equal(place.code, SPOOR_CODE_A32);
    assert_int_equal(place.start, 0x8010);
    assert_int_equal(place.size, 0x10);
    spoor_images_close(images);
}

static void moved_and_several(void **state)
{
    (void)state;
    struct spoor_error error = {0};
    struct spoor_images *images = open_list("100 T first\n");
    char moved[64];
    snprintf(moved, sizeof moved, "%s@0x10000", path);
    assert_int_equal(spoor_images_add(images, moved, &error), SPOOR_OK);
    snprintf(moved, sizeof moved, "%s@-16", path);
    assert_int_equal(spoor_images_add(images, moved, &error), SPOOR_OK);
    assert_int_equal(spoor_images_count(images), 3);
    demand(images, 0x104, "first+4");
    demand(images, 0x10104, "first+4");
    demand(images, 0xf1, "first+1");
    struct spoor_place place = {.struct_size = sizeof place};
    assert_true(spoor_images_nth_function(images, 1, &place));
    assert_int_equal(place.start, 0x10100);
    assert_false(spoor_images_nth_function(images, 3, &place));
    snprintf(moved, sizeof moved, "%s@base", path);
    assert_int_equal(spoor_images_add(images, moved, &error), SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, "found 'base' after '@'"));
    spoor_images_close(images);
}

static void names_of_c_plus_plus(void **state)
{
    (void)state;
    struct spoor_images *images =
        open_list("100 T _ZN3foo3barEi\n200 T _ZN3foo3barEd\n300 T _Zx\n");
    struct spoor_place place = {.struct_size = sizeof place};
    assert_true(spoor_images_function(images, 0x104, &place));
    assert_string_equal(place.symbol, "_ZN3foo3barEi");
    if (strcmp(place.function, place.symbol) == 0) {
        spoor_images_close(images);
        skip(); /* this machine has no C++ runtime library */
    }
    demand(images, 0x104, "foo::bar(int)+4");
    demand(images, 0x304, "_Zx+4");
    uint64_t address;
    assert_true(spoor_images_find(images, "foo::bar", 1, &address));
    assert_int_equal(address, 0x200);
    assert_true(spoor_images_find(images, "foo::bar(int)", 0, &address));
    assert_int_equal(address, 0x100);
    assert_false(spoor_images_find(images, "foo", 0, &address));
    spoor_images_close(images);
}

static void no_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } lists[] = {
        {"", "found no symbols"},
        {"# nothing\n", "found no symbols"},
        {"100 T main\nhello world\n", "line 2: found 'hello world'"},
        {"100\n", "line 1: found '100'"},
        {"11112222333344445 main\n", "line 1"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct spoor_error error = {0};
        struct spoor_images *images;
        assert_int_equal(spoor_images_new(&images, &error), SPOOR_OK);
        write_list(lists[i].text);
        assert_int_equal(spoor_images_add(images, path, &error), SPOOR_EINPUT);
        if (!strstr(error.text, lists[i].says)) fail_msg("%s", error.text);
        assert_int_equal(spoor_images_count(images), 0);
        spoor_images_close(images);
    }
}

/* The published lists: a function is found at its value (without the Thumb bit), and at its last
 * byte if no other begins within it. */
static void published_lists(void **state)
{
    (void)state;
    const char *shared = getenv("SPOOR_SHARED");
    char list[512], line[1024];
    snprintf(list, sizeof list, "%s/oracles/tarmac/ttu/symbols/calculator-aarch32.symbols",
             shared ? shared : SOURCE_ROOT "/../shared");
    FILE *file = fopen(list, "r");
    if (!file) skip();
    struct spoor_error error = {0};
    struct spoor_images *images;
    assert_int_equal(spoor_images_new(&images, &error), SPOOR_OK);
    assert_int_equal(spoor_images_add(images, list, &error), SPOOR_OK);
    size_t functions = 0;
    while (fgets(line, sizeof line, file)) {
        unsigned long long value;
        char type[16], name[512];
        int size;
        if (sscanf(line, "%llx %d %15s %*s %*s %511s", &value, &size, type, name) != 4) continue;
        if (strcmp(type, "FUNC") != 0 || size == 0) continue;
        struct spoor_place place = {.struct_size = sizeof place};
        assert_true(spoor_images_function(images, value & ~1ull, &place));
        assert_int_equal(place.start, value & ~1ull);
        assert_int_equal(place.size, size);
        assert_int_equal(place.code, value & 1 ? SPOOR_CODE_T32 : SPOOR_CODE_A32);
        functions++;
    }
    assert_true(functions > 10);
    fclose(file);
    spoor_images_close(images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_names),          cmocka_unit_test(columns_of_nm),
        cmocka_unit_test(columns_of_readelf),   cmocka_unit_test(moved_and_several),
        cmocka_unit_test(names_of_c_plus_plus), cmocka_unit_test(no_lists),
        cmocka_unit_test(published_lists),
    };
    const int descriptor = mkstemp(path);
    if (descriptor < 0) return 1;
    close(descriptor);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
